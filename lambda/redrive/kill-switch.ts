import { GetParameterCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import type { RedriveFacts } from '../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';

/** The parameter that switches a redrive. */
export type KillSwitch = Pick<RedriveSettings, 'switchParameter' | 'switchMayBeAbsent'>;

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html */
export async function readKillSwitch(
  client: SSMClient,
  { switchParameter: Name, switchMayBeAbsent }: KillSwitch,
): Promise<RedriveFacts['killSwitch']> {
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name }));
    const value = Parameter?.Value;
    return value === 'on' || value === 'off' ? value : 'unknown';
  } catch (error) {
    if (switchMayBeAbsent && error instanceof ParameterNotFound) return 'on';
    throw error;
  }
}
