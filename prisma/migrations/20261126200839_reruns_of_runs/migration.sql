-- CreateIndex
CREATE INDEX "run_rerun_of" ON "run"("rerun_of") WHERE (rerun_of IS NOT NULL);
