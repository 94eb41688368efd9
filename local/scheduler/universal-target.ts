import { parseArn } from '../../policy/arn';

/** One action of one service, as `arn:aws:scheduler:::aws-sdk:sqs:sendMessage` names it. */
export interface UniversalTarget {
  /** For example `sqs`. */
  readonly service: string;
  /** For example `sendMessage`. */
  readonly api: string;
  /** The action as AWS names it: `SendMessage`. */
  readonly action: string;
}

const RESOURCE = /^aws-sdk:([\w-]+):(\w+)$/;
const READ_ONLY = /^(get|describe|list)/;

/**
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
 * @returns undefined for any other ARN
 */
export function universalTarget(arn: string): UniversalTarget | undefined {
  const { service: scheduler, region, account, resource = '' } = parseArn(arn) ?? {};
  if (scheduler !== 'scheduler' || region !== '' || account !== '') return undefined;
  const [, service, api] = RESOURCE.exec(resource) ?? [];
  if (service === undefined || api === undefined) return undefined;
  return { service, api, action: api.slice(0, 1).toUpperCase() + api.slice(1) };
}

/** Whether an API only reads, which schedules may not call. */
export function isReadOnly(api: string): boolean {
  return READ_ONLY.test(api);
}
