-- AlterTable
ALTER TABLE "workflow" ADD COLUMN     "paused_at" TIMESTAMPTZ(3),
ADD COLUMN     "paused_by" TEXT;

-- AlterTable
ALTER TABLE "worker" ADD COLUMN     "concurrency" INTEGER,
ADD COLUMN     "drain_by" TEXT,
ADD COLUMN     "servers" JSON;

-- CreateTable
CREATE TABLE "hook_delivery" (
    "id" BIGSERIAL NOT NULL,
    "workflow" TEXT NOT NULL,
    "hook" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "outcome" TEXT NOT NULL,
    "reason" TEXT,
    "run_id" UUID,

    CONSTRAINT "hook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "hook_delivery_workflow_hook_id_idx" ON "hook_delivery"("workflow", "hook", "id");

-- CreateIndex
CREATE INDEX "hook_delivery_at_idx" ON "hook_delivery"("at");
