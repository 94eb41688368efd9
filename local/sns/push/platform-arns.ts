import { parseArn } from '../../../policy/arn';

/** What the ARN of a device, or of an app, says. */
export interface PlatformNames {
  /** For example `GCM`. */
  readonly platform: string;
  readonly application: string;
}

/** Reads `app/GCM/Rental` or `endpoint/GCM/Rental/1b2c…` at the end of an ARN; undefined when it is neither. */
export function platformNames(arn: string): PlatformNames | undefined {
  const [kind, platform, application] = parseArn(arn)?.resource.split('/') ?? [];
  if ((kind !== 'app' && kind !== 'endpoint') || platform === undefined || application === undefined) return undefined;
  return { platform, application };
}

/** Whether an ARN is that of a device. */
export function isEndpointArn(arn: string): boolean {
  return parseArn(arn)?.resource.startsWith('endpoint/') ?? false;
}
