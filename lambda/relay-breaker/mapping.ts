import {
  type EventSourceMappingConfiguration,
  GetEventSourceMappingCommand,
  type LambdaClient,
  ResourceConflictException,
  ResourceInUseException,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import type { MappingFacts } from '../../policy/relay/breaker';
import type { BreakerPorts } from './breaker';

function mappingFactsOf({ State = '', ScalingConfig, LastModified }: EventSourceMappingConfiguration): MappingFacts {
  return {
    state: State,
    maximumConcurrency: ScalingConfig?.MaximumConcurrency,
    lastModifiedAtMs: LastModified?.getTime() ?? 0,
  };
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_GetEventSourceMapping.html */
export async function mappingFacts(client: LambdaClient, mappingId: string): Promise<MappingFacts> {
  return mappingFactsOf(await client.send(new GetEventSourceMappingCommand({ UUID: mappingId })));
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_UpdateEventSourceMapping.html */
export function mappingChanger(client: LambdaClient, mappingId: string): BreakerPorts['change'] {
  return async ({ enabled, maximumConcurrency }) => {
    const ScalingConfig = { MaximumConcurrency: maximumConcurrency };
    try {
      const command = new UpdateEventSourceMappingCommand({ UUID: mappingId, Enabled: enabled, ScalingConfig });
      return mappingFactsOf(await client.send(command));
    } catch (error) {
      if (error instanceof ResourceInUseException || error instanceof ResourceConflictException) return undefined;
      throw error;
    }
  };
}
