-- Ends of child runs that their parents have not taken: looks find only these, and not the ends that were taken long ago.
-- CreateTable
CREATE TABLE "child_end" (
    "run_id" UUID NOT NULL,
    "parent_run_id" UUID NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "child_end_pkey" PRIMARY KEY ("run_id")
);

-- What it was for is found in the new table.
DROP INDEX "run_child_ended_at";
