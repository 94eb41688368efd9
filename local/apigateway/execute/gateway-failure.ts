import type { OccurringResponseType } from '../model/gateway-response';

/** A request that API Gateway answers itself. */
export class GatewayFailure extends Error {
  override readonly name = 'GatewayFailure';

  /**
   * @param reason what the execution log says
   * @param told what the client is told @default the text of this kind of answer
   */
  constructor(
    readonly type: OccurringResponseType,
    reason: string,
    readonly reported?: string,
  ) {
    super(reason);
  }
}

/** Something in the API's own configuration is wrong: the client learns no more than that. */
export const misconfigured = (reason: string): GatewayFailure =>
  new GatewayFailure('API_CONFIGURATION_ERROR', `Execution failed due to configuration error: ${reason}`);
