/** What is wrong with an expression, in words; whoever knows which expression it is makes AWS's error of it. */
export class MathError extends Error {
  override readonly name = 'MathError';
}
