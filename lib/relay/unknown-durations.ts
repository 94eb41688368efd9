import { type Duration, Fn, Token, Tokenization } from 'aws-cdk-lib';

/**
 * The milliseconds of a duration, as a number. CloudFormation cannot multiply: of whole seconds it knows only when it
 * deploys, it makes milliseconds by writing three zeros behind them.
 */
export function milliseconds(duration: Duration): number {
  if (!duration.isUnresolved() || duration.unitLabel() === 'millis') return duration.toMilliseconds();
  return Token.asNumber(Fn.join('', [Tokenization.stringifyNumber(duration.toSeconds()), '000']));
}
