-- AlterTable
ALTER TABLE "poll" ADD COLUMN     "cursor" TEXT;
