import type { Refused, ServiceContext } from '../kernel/service-api';

interface OfSecret {
  readonly secretArn: string;
}

/** The trace events of Secrets Manager: names and versions, never values. */
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

export type SecretsManagerContext = Pick<
  ServiceContext<SecretsManagerTraceEvent>,
  'place' | 'timeline' | 'random' | 'access' | 'keys' | 'faults' | 'trace'
>;
