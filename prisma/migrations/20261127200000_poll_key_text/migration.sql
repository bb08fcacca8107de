-- AlterTable
ALTER TABLE "poll_key" ADD COLUMN     "text" TEXT;
