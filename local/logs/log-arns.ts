import { parseArn } from '../../policy/arn';
import { arnIn, type Place } from '../kernel/place';

/** Without the `:*` that stands for its streams. */
export const logGroupArn = (place: Place, logGroupName: string): string =>
  arnIn(place, 'logs', `log-group:${logGroupName}`);

export const logStreamArn = (place: Place, logGroupName: string, logStreamName: string): string =>
  arnIn(place, 'logs', `log-group:${logGroupName}:log-stream:${logStreamName}`);

/** CloudWatch Logs, as policies name it. */
export const logsService = ({ region, urlSuffix }: Place): string => `logs.${region}.${urlSuffix}`;

/** The name in a log group's identifier, which is the name itself or an ARN with or without `:*`. */
export function nameInIdentifier(identifier: string): string {
  return /^log-group:([^:]+)(:\*)?$/.exec(parseArn(identifier)?.resource ?? '')?.[1] ?? identifier;
}
