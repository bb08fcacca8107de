-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "limits" JSONB;
