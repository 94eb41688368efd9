import { arnIn, type Place } from '../kernel/place';

/** Without the `:*` that stands for its streams. */
export const logGroupArn = (place: Place, logGroupName: string): string =>
  arnIn(place, 'logs', `log-group:${logGroupName}`);

export const logStreamArn = (place: Place, logGroupName: string, logStreamName: string): string =>
  arnIn(place, 'logs', `log-group:${logGroupName}:log-stream:${logStreamName}`);
