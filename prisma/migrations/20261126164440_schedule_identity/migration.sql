-- AlterTable
ALTER TABLE "schedule" ADD COLUMN     "formerly" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "inputs" TEXT,
ADD COLUMN     "removed_at" TIMESTAMPTZ(3);
