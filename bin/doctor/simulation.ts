import { isObject, type JsonObject, parseObject } from '../../policy/json-members';

const TIMEOUT_MS = 5_000;

/**
 * Reads from a simulation, such as `dlo local`, what it cannot tell because of stand-ins on the path of messages.
 *
 * @param endpointUrl @default - AWS_ENDPOINT_URL
 * @returns sentences. None for AWS and for other emulators, which do not have this address
 */
export async function unknownsOfSimulation(endpointUrl = process.env['AWS_ENDPOINT_URL']): Promise<readonly string[]> {
  if (!endpointUrl) return [];
  const url = new URL('/_dlo/state', endpointUrl);
  const state = await read(url);
  if (state instanceof Error)
    return [`${url.href} does not answer (${state.message}): a simulation lists unknowns there`];
  const unknowns: readonly unknown[] = Array.isArray(state?.['unknowns']) ? state['unknowns'] : [];
  return unknowns.filter(isObject).map(({ stack, logicalId, path, type, unknown }) => {
    const name = typeof path === 'string' ? path : `${String(logicalId)} of ${String(stack)}`;
    return `${name} (${String(type)}) is not simulated, so it is unknown ${String(unknown)}`;
  });
}

async function read(url: URL): Promise<JsonObject | Error | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? parseObject(await response.text()) : undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
