import type { Refused } from '../kernel/doorkeeper';

interface OfSecret {
  readonly secretArn: string;
}

/** What Secrets Manager writes into the trace: names and versions, never values. */
export type SecretsManagerTraceEvent =
  | (OfSecret & { readonly type: 'secretsmanager.secret-created' | 'secretsmanager.secret-restored' })
  | (OfSecret & { readonly type: 'secretsmanager.secret-updated' })
  | (OfSecret & {
      readonly type: 'secretsmanager.value-put';
      readonly versionId: string;
      readonly stages: readonly string[];
    })
  | (OfSecret & {
      readonly type: 'secretsmanager.stage-moved';
      readonly stage: string;
      readonly fromVersionId?: string;
      readonly toVersionId?: string;
    })
  | (OfSecret & { readonly type: 'secretsmanager.policy-put' | 'secretsmanager.policy-deleted' })
  | (OfSecret & { readonly type: 'secretsmanager.deletion-scheduled'; readonly deletionAtMs: number })
  | (OfSecret & { readonly type: 'secretsmanager.secret-deleted' })
  | Refused<'secretsmanager'>;
