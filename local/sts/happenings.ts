import type { Refused } from '../kernel/doorkeeper';

/** What STS writes into the trace: sessions, never their credentials. */
export type StsTraceEvent =
  | {
      readonly type: 'sts.role-assumed';
      readonly roleArn: string;
      readonly sessionName: string;
      readonly expiresAtMs: number;
    }
  | { readonly type: 'sts.session-token-issued'; readonly expiresAtMs: number }
  | Refused<'sts'>;
