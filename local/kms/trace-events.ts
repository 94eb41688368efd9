import type { Refused, ServiceContext } from '../kernel/service-api';
import type { KeyStore } from './key-store';

interface OfKey {
  readonly keyArn: string;
}

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
   * KMS refused a request: a missing permission, an unusable key, or an invalid request. `resource` is the key, if it
   * exists. When a service asked on behalf of a principal, both are named.
   */
  | (Refused<'kms'> & { readonly principal?: string; readonly viaService?: string });

export type KmsContext = Pick<
  ServiceContext<KmsTraceEvent>,
  'place' | 'timeline' | 'random' | 'access' | 'faults' | 'trace'
> & {
  /** The keys of other accounts in the Region. @default - there are none */
  readonly keysOfOthers?: () => readonly KeyStore[];
};
