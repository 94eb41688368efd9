import type { Refused, ServiceContext } from '../kernel/service-api';

/** The trace events of STS: sessions, never their credentials. */
export type StsTraceEvent =
  | {
      readonly type: 'sts.role-assumed';
      readonly roleArn: string;
      readonly sessionName: string;
      readonly expiresAtMs: number;
    }
  | { readonly type: 'sts.session-token-issued'; readonly expiresAtMs: number }
  | Refused<'sts'>;

export type StsContext = Pick<ServiceContext<StsTraceEvent>, 'place' | 'timeline' | 'access' | 'faults' | 'trace'>;
