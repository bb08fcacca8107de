-- CreateIndex
CREATE INDEX "run_event_answered" ON "run_event"("run_id", "seq") WHERE (type = 'question.answered');
