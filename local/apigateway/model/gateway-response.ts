/** An answer of API Gateway itself. */
interface DefaultGatewayResponse {
  readonly status: number;
  readonly message: string;
  /** The header `x-amzn-errortype`. */
  readonly errorType: string;
}

/**
 * The answers of API Gateway when a request does not reach its backend, or the backend's answer does not reach the
 * client.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export const GATEWAY_RESPONSES = {
  ACCESS_DENIED: { status: 403, message: 'Forbidden', errorType: 'AccessDeniedException' },
  API_CONFIGURATION_ERROR: {
    status: 500,
    message: 'Internal server error',
    errorType: 'InternalServerErrorException',
  },
  BAD_REQUEST_BODY: { status: 400, message: 'Invalid request body', errorType: 'BadRequestException' },
  BAD_REQUEST_PARAMETERS: {
    status: 400,
    message: 'Missing required request parameters',
    errorType: 'BadRequestException',
  },
  INTEGRATION_FAILURE: {
    status: 504,
    message: 'Network error communicating with endpoint',
    errorType: 'InternalServerErrorException',
  },
  INTEGRATION_TIMEOUT: {
    status: 504,
    message: 'Endpoint request timed out',
    errorType: 'InternalServerErrorException',
  },
  INVALID_SIGNATURE: {
    status: 403,
    message: "Authorization header requires 'Credential' parameter.",
    errorType: 'IncompleteSignatureException',
  },
  MISSING_AUTHENTICATION_TOKEN: {
    status: 403,
    message: 'Missing Authentication Token',
    errorType: 'MissingAuthenticationTokenException',
  },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long', errorType: 'RequestTooLargeException' },
  THROTTLED: { status: 429, message: 'Too Many Requests', errorType: 'TooManyRequestsException' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Unsupported Media Type',
    errorType: 'UnsupportedMediaTypeException',
  },
} as const satisfies Record<string, DefaultGatewayResponse>;

type OccurringResponseType = keyof typeof GATEWAY_RESPONSES;

/** The response types that can be configured: those that occur, and two for all others. */
export type GatewayResponseType = OccurringResponseType | 'DEFAULT_4XX' | 'DEFAULT_5XX';

export const isGatewayResponseType = (type: string): type is GatewayResponseType =>
  type === 'DEFAULT_4XX' || type === 'DEFAULT_5XX' || Object.hasOwn(GATEWAY_RESPONSES, type);

/** An answer as the API's owner configured it. */
export interface ConfiguredGatewayResponse {
  readonly statusCode: number | undefined;
  /** Values by header name: `'static'` in quotes, or `context.…`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text with `$context` variables, by content type. */
  readonly templates: Readonly<Record<string, string>>;
}

/** The answer configured for this type, or for all 4XX or 5XX types. */
export function configuredResponse(
  configured: ReadonlyMap<GatewayResponseType, ConfiguredGatewayResponse>,
  type: OccurringResponseType,
): ConfiguredGatewayResponse | undefined {
  const rest = GATEWAY_RESPONSES[type].status >= 500 ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
  return configured.get(type) ?? configured.get(rest);
}

/** A request that API Gateway answers itself. */
export class GatewayFailure extends Error {
  override readonly name = 'GatewayFailure';

  /**
   * @param reason the text in the execution log
   * @param reported the text for the client @default the text of this response type
   */
  constructor(
    readonly type: OccurringResponseType,
    reason: string,
    readonly reported?: string,
  ) {
    super(reason);
  }
}

/** The API is configured wrongly. The client receives no details. */
export const misconfigured = (reason: string): GatewayFailure =>
  new GatewayFailure('API_CONFIGURATION_ERROR', `Execution failed due to configuration error: ${reason}`);
