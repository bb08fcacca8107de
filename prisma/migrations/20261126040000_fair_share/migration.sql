-- Workers look for the next runs of each caller and workflow. Status is not part of the condition: while no index depends
-- on it, a claim changes its row in place.
CREATE INDEX "run_fair_share" ON "run"("by", "workflow", "priority", "id") WHERE (ended_at IS NULL AND NOT is_waiting);

-- Made again, so that it stays the newer one: of two indexes that cost the same, as all do while a table is empty, the
-- planner takes that one, and processes keep their plans.
DROP INDEX "run_active";
CREATE INDEX "run_active" ON "run"("id") WHERE (ended_at IS NULL AND NOT is_waiting);
