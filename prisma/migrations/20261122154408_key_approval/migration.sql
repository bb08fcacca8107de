-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "approve" TEXT;
