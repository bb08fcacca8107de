-- CreateIndex
CREATE INDEX "run_event_unknown" ON "run_event"("run_id", "seq") WHERE (type = 'step.unknown');
