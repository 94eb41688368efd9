import type { Refused } from '../kernel/doorkeeper';

interface OfParameter {
  readonly parameterArn: string;
}

/** What SSM writes into the trace: names and versions, never values. */
export type SsmTraceEvent =
  | (OfParameter & { readonly type: 'ssm.parameter-put'; readonly version: number })
  | (OfParameter & { readonly type: 'ssm.parameter-deleted' })
  | (OfParameter & {
      readonly type: 'ssm.version-labelled';
      readonly version: number;
      readonly labels: readonly string[];
    })
  | Refused<'ssm'>;
