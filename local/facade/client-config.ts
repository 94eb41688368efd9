import type { Place } from '../kernel/place';
import type { Network } from '../network/network';
import { InMemoryHttpHandler } from '../wire';

/** An administrator's access key, in the form AWS uses in its documentation. */
export const ADMINISTRATOR = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

/**
 * What a client would look up in environment variables and in `~/.aws/config`, at the SDK's own defaults. Whatever is
 * configured there is meant for AWS; and a client that reads no file has its first call here before time moves.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html
 */
const SETTLED = {
  authSchemePreference: [] as string[],
  defaultsMode: 'standard',
  disableClockSkewCorrection: false,
  disableRequestCompression: true,
  ignoreConfiguredEndpointUrls: true,
  maxAttempts: 3,
  requestMinCompressionSizeBytes: 10_240,
  retryMode: 'standard',
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: '',
} as const;

/** A request handler as the SDK's clients take any: what it handles is between them and the embedded AWS. */
export type SdkRequestHandler = {
  readonly metadata: { readonly handlerProtocol: string };
  handle(...request: never): Promise<{ readonly response: unknown }>;
};

/** What any AWS SDK v3 client needs to talk to the embedded AWS, and nothing else. */
export type ClientConfig = typeof SETTLED & {
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly requestHandler: SdkRequestHandler;
};

export function clientConfig(network: Network, place: Place): ClientConfig {
  const requestHandler = new InMemoryHttpHandler(network, place);
  return { ...SETTLED, region: place.region, credentials: ADMINISTRATOR, requestHandler };
}
