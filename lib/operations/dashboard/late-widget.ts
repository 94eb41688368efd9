import { Column, type IWidget, Row } from 'aws-cdk-lib/aws-cloudwatch';

/** A widget that is asked what it holds no sooner than the dashboard is rendered. */
export class LateWidget implements IWidget {
  private placed?: Column;

  /** @param rows what stands beside each other, from top to bottom */
  constructor(private readonly rows: () => readonly (readonly IWidget[])[]) {}

  get width(): number {
    return this.column().width;
  }

  get height(): number {
    return this.column().height;
  }

  position(x: number, y: number): void {
    this.placed = this.column();
    this.placed.position(x, y);
  }

  toJson(): unknown[] {
    return (this.placed ?? this.column()).toJson();
  }

  private column(): Column {
    return new Column(...this.rows().map(row => new Row(...row)));
  }
}
