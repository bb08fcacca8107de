-- Of two indexes that cost the same, as all do while a table is empty, the planner takes the newer one. The plan of the
-- poll of each process is made then and kept, and must look for ended children in the index that holds only children.
DROP INDEX "run_child_ended_at";

-- CreateIndex
CREATE INDEX "run_child_ended_at" ON "run"("ended_at") WHERE (parent_run_id IS NOT NULL AND ended_at IS NOT NULL);
