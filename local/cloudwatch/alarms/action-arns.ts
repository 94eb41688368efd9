import { parseArn } from '../../../policy/arn';
import { notImplemented } from '../../kernel/aws-error';

/** What AWS lets an alarm do. */
const VENDORS: Readonly<Record<string, { readonly what: string; readonly isImplemented: boolean }>> = {
  sns: { what: 'SNS topics', isImplemented: true },
  lambda: { what: 'Lambda functions', isImplemented: true },
  automate: { what: 'EC2 actions', isImplemented: false },
  swf: { what: 'EC2 actions', isImplemented: false },
  autoscaling: { what: 'Auto Scaling policies', isImplemented: false },
  ssm: { what: 'Systems Manager OpsItems', isImplemented: false },
  'ssm-incidents': { what: 'Incident Manager response plans', isImplemented: false },
  aiops: { what: 'CloudWatch investigations', isImplemented: false },
};

/**
 * What is wrong with an action of an alarm, in AWS's words; undefined when nothing is.
 *
 * @param here the Region of the alarm
 * @throws AwsError `NotImplemented` for what an alarm can do on AWS and not here
 */
export function actionProblem(arn: string, here: string): string | undefined {
  const { service: vendor, region = '' } = parseArn(arn) ?? {};
  if (vendor === undefined) return `Invalid arn syntax: ${arn}`;
  const known = Object.hasOwn(VENDORS, vendor) ? VENDORS[vendor] : undefined;
  if (!known) return `Unsupported AWS vendor ${vendor}`;
  if (!known.isImplemented) throw notImplemented(`${known.what} as actions of alarms (${arn})`);
  return region === '' || region === here
    ? undefined
    : `Invalid region ${region} specified. Only ${here} is supported.`;
}
