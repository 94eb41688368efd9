import type { Refused } from '../kernel/doorkeeper';

/** What CloudWatch Logs writes down. The events themselves are read from the groups. */
export type LogsHappening = { readonly type: 'logs.group-created'; readonly logGroupName: string } | Refused<'logs'>;
