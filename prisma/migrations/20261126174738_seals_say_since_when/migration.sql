-- AlterTable
ALTER TABLE "seal" ADD COLUMN     "begun_at" BIGINT,
ADD COLUMN     "begun_entry" INTEGER,
ADD COLUMN     "begun_records" INTEGER;
