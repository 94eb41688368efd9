import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import type { RedriveFacts } from '../../lib/policy/redrive/redrive-facts';

/** @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html */
export async function killSwitch(client: SSMClient, Name: string): Promise<RedriveFacts['killSwitch']> {
  const { Parameter } = await client.send(new GetParameterCommand({ Name }));
  const value = Parameter?.Value;
  return value === 'on' || value === 'off' ? value : 'unknown';
}
