import { GetEventSourceMappingCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { RedriveFacts } from '../../policy/redrive/redrive-facts';
import { isNotFound } from './refusal';

type MappingFacts = RedriveFacts['mappings'][number];

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_GetEventSourceMapping.html */
export async function readMapping(client: LambdaClient, id: string): Promise<MappingFacts> {
  try {
    const { State = 'missing' } = await client.send(new GetEventSourceMappingCommand({ UUID: id }));
    return { id, state: State };
  } catch (error) {
    if (isNotFound(error)) return { id, state: 'missing' };
    throw error;
  }
}
