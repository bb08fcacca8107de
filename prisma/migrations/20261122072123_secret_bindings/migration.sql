-- AlterTable
ALTER TABLE "secret" ADD COLUMN     "servers" TEXT[] DEFAULT ARRAY['*']::TEXT[],
ADD COLUMN     "workflows" TEXT[] DEFAULT ARRAY['*']::TEXT[];
