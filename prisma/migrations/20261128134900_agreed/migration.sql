-- When who deployed a version deployed the same text again: they agree to the child workflows as they are then.
-- AlterTable
ALTER TABLE "workflow_version" ADD COLUMN     "agreed_at" TIMESTAMPTZ(3);
