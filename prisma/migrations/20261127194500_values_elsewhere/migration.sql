-- Where a large value is kept outside of the database; its text is empty then.
ALTER TABLE "blob" ADD COLUMN "place" TEXT;
CREATE INDEX "blob_created_at_idx" ON "blob" ("created_at") WHERE "place" IS NULL;
