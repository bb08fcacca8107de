-- AlterTable
ALTER TABLE "workflow" ADD COLUMN     "tool" TEXT,
ADD COLUMN     "tool_since" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "workflow_tool" ON "workflow"("tool");
