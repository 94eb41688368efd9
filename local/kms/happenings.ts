interface OfKey {
  readonly keyArn: string;
}

/** What KMS writes into the trace. */
export type KmsHappening =
  | (OfKey & {
      readonly type:
        | 'kms.key-created'
        | 'kms.key-enabled'
        | 'kms.key-disabled'
        | 'kms.key-policy-put'
        | 'kms.key-deleted';
    })
  | (OfKey & { readonly type: 'kms.key-deletion-scheduled'; readonly deletionAtMs: number })
  | (OfKey & { readonly type: 'kms.key-deletion-cancelled' })
  | (OfKey & { readonly type: 'kms.alias-created' | 'kms.alias-deleted'; readonly aliasName: string })
  /** Somebody may not use the key, or cannot. `keyArn` is what was asked for when there is no such key. */
  | (OfKey & {
      readonly type: 'kms.refused';
      readonly action: string;
      readonly principal: string;
      readonly viaService: string;
      readonly code: string;
      readonly reason: string;
    });
