-- AlterTable
ALTER TABLE "run" ADD COLUMN     "is_waiting" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "run_active" ON "run"("id") WHERE (ended_at IS NULL AND NOT is_waiting);

-- CreateIndex
CREATE INDEX "run_child_ended_at" ON "run"("ended_at") WHERE (parent_run_id IS NOT NULL AND ended_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "turn_admitted" ON "turn"("run_id") WHERE (is_admitted);

-- What Prisma's language cannot say follows.

UPDATE "run" SET "is_waiting" = true WHERE "ended_at" IS NULL AND "status" = 'waiting';
