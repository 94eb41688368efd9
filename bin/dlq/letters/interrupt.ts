import type { Io } from '../../io';

/** Whether somebody wants the command to end. */
export interface Interrupt {
  readonly isAsked: boolean;
}

/** From now on an interrupt does not end the process: whoever works looks here, ends what is begun, and tidies up. */
export function interruptOf(io: Io): Interrupt {
  let isAsked = false;
  void io.interrupted().then(() => {
    isAsked = true;
  });
  return {
    get isAsked() {
      return isAsked;
    },
  };
}
