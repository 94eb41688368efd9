import type { Refused } from '../kernel/doorkeeper';

interface OfKey {
  readonly keyArn: string;
}

/** What KMS writes into the trace. */
export type KmsTraceEvent =
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
  | (OfKey & {
      readonly type: 'kms.alias-created' | 'kms.alias-updated' | 'kms.alias-deleted';
      readonly aliasName: string;
    })
  | (OfKey & { readonly type: 'kms.rotation-changed'; readonly isRotated: boolean })
  /**
   * Somebody may not use the key, or cannot, or asked for what KMS does not do. `resource` is the key as far as there is
   * one. For a service that asks in somebody's name, who that is and which service.
   */
  | (Refused<'kms'> & { readonly principal?: string; readonly viaService?: string });
