import { parseArn } from '../../../../policy/arn';

const PREFIX = 'alarm:';

/** The name of an alarm that is given by name or ARN. */
export function alarmNameOf(reference: string): string {
  const resource = parseArn(reference)?.resource;
  return resource?.startsWith(PREFIX) ? resource.slice(PREFIX.length) : reference;
}
