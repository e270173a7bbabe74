// Loaded before the program by a test: a machine whose clock has jumped by PETS_TEST_JUMP ms.
const jump = Number(process.env.PETS_TEST_JUMP);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...values) {
    if (values.length === 0) super(RealDate.now() + jump);
    else super(...values);
  }

  static now() {
    return RealDate.now() + jump;
  }
};
