-- AlterTable
-- In two steps: with its default from the start, the table would be written anew.
ALTER TABLE "run_event" ADD COLUMN     "xact" BIGINT;
ALTER TABLE "run_event" ALTER COLUMN "xact" SET DEFAULT ((pg_current_xact_id())::text)::bigint;

-- CreateIndex
CREATE INDEX "run_event_xact" ON "run_event"("xact");
