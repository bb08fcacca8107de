-- DropIndex
DROP INDEX "run_ended_at";

-- CreateIndex
CREATE INDEX "run_ended_at" ON "run"("ended_at") WHERE (ended_at IS NOT NULL);
