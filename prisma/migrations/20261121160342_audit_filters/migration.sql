-- CreateIndex
CREATE INDEX "audit_entry_by_seq_idx" ON "audit_entry"("by", "seq");

-- CreateIndex
CREATE INDEX "audit_entry_target_seq_idx" ON "audit_entry"("target", "seq");

-- CreateIndex
CREATE INDEX "audit_entry_at_idx" ON "audit_entry"("at");
