-- AlterTable
ALTER TABLE "definition" ADD COLUMN     "edition" INTEGER NOT NULL DEFAULT 1;
