-- Retention removes large values without a lock on their table: a value that a run begins to use meanwhile is kept by this
-- reference. Rows from before are not looked at, since a value that is missing must not keep Baton from starting.
ALTER TABLE "blob_use" ADD CONSTRAINT "blob_use_sha256_fkey" FOREIGN KEY ("sha256") REFERENCES "blob"("sha256")
  ON DELETE NO ACTION ON UPDATE NO ACTION NOT VALID;
