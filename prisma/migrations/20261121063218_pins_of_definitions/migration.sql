-- AlterTable
ALTER TABLE "workflow_version" DROP COLUMN "pins";

-- AlterTable
ALTER TABLE "definition" ADD COLUMN     "pins" JSON NOT NULL DEFAULT '{}';
