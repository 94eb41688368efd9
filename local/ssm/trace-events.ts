import type { Refused, ServiceContext } from '../kernel/service-api';

interface OfParameter {
  readonly parameterArn: string;
}

/** The trace events of SSM: names and versions, never values. */
export type SsmTraceEvent =
  | (OfParameter & { readonly type: 'ssm.parameter-put'; readonly version: number })
  | (OfParameter & { readonly type: 'ssm.parameter-deleted' })
  | (OfParameter & {
      readonly type: 'ssm.version-labelled';
      readonly version: number;
      readonly labels: readonly string[];
    })
  | Refused<'ssm'>;

export type SsmContext = Pick<
  ServiceContext<SsmTraceEvent>,
  'place' | 'timeline' | 'random' | 'access' | 'keys' | 'faults' | 'trace'
>;
