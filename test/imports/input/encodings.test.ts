import { describe, expect, it } from "vitest";
import { readingsOf } from "../../../src/imports/input/encodings.ts";
import { encode } from "../../support/encode.ts";

const names = {
  Russian:
    "Мухтар Барсик Жучка Шарик Рыжик Мурка Белка Пушок Снежок Дымка Васька Буран Герда Ёлка Умка",
  Ukrainian:
    "Мурчик Їжачок Пушинка Рекс Іскра Білка Сірко Бровко Ясночка Рудько Щастя Кулька Лисичка",
  Bulgarian: "Шаро Мечо Рижко Бяла Гушка Пухчо Джинджър Ася Злати Бъбрек Лъки Тарчо Снежка Черньо",
  Simplified: "旺财 小白 花花 来福 豆豆 小黑 咪咪 毛毛 大黄 球球 乐乐 贝贝 小虎 雪球 团子 奶茶",
  Traditional: "旺財 小白 咪咪 來福 豆豆 小黑 花花 毛毛 大黃 球球 樂樂 貝貝 小虎 糰子 點點",
  Korean: "초코 보리 콩이 나비 까미 두부 코코 몽이 해피 뽀삐 사랑이 구름 호두 복실이 하늘",
  Japanese: "ポチ タマ さくら ハナ 太郎 もも クロ シロ ミケ 小梅 ココ レオ そら チョコ 茶々",
  Kana: "ポチ タマ ハナ クロ シロ ミケ ココ レオ チョコ モカ ラッキー さくら もも そら きなこ",
  Turkish: "Şeker Yıldız İnci Karabaş Paşa Çomar Tarçın Gümüş Fındık Minnoş Ağabey Köpük Şimşek",
  Greek: "Άσπρος Μαύρη Λούσι Ρεξ Μπρούνο Αστέρω Φλόγα Ζουζού Κανέλα Ψιψίνα Τζίνα Ηρακλής Έλλη",
  Hebrew: "לאקי שוקו נמרוד כתם בלה מיצי רקסי לונה פיצי שלגי דובי חתולי סימבה טופי קפה נסיכה",
  Arabic: "مشمش لولو سمسم قمر نجم ذئب بسبس لاكي فهد ياسمين عنتر غزال زهرة شمس ريحان بندق",
  Thai: "มะลิ น้ำตาล ถั่วดำ ข้าวปั้น ส้มโอ เจ้าด่าง สีนวล ทองดี ขนุน โมจิ ข้าวเหนียว แตงโม ใบเตย",
  Vietnamese: "Mực Vàng Bông Đốm Mướp Cún Sữa Bưởi Đen Gạo Nếp Lạc Vện Tí Xù Béo Mèo Bánh",
  Polish:
    "Łatek Śnieżka Żabka Czarnuś Źrebak Węgielek Piękna Słodziak Śliwka Perełka Włóczykij Ćma",
  Czech: "Žofka Ťapka Hafík Bělinka Rozárka Čert Řízek Líza Šedivka Punťa Míša Sněženka Kůstka",
  Hungarian: "Bundás Pötyi Füles Gombóc Csöpi Tünde Mázli Őszi Zsömle Hópihe Bütyök Szűcs Dömper",
  Lithuanian: "Murkė Pūkis Žaibas Ąžuolas Šarka Rudė Meškutė Pėdutė Juodė Snieguolė Kačiukas Lapė",
  German: "Jürgen Bärbel Mäuschen Weißpfote Löwe Kätzchen Süße Flöckchen Müsli Übermut Rüdiger",
  French: "Zoé Félix Câline Noël Garçon Chloé Réglisse Bébé Crème Brûlée Gaïa Médor Éclair Hélène",
  Spanish: "Niño Bebé Ñata Peluchín Pulgón Corazón Sofía Tomás Mamá Ratón Muñeca Pequeño Limón",
  Swedish: "Åsa Sötnos Pålle Måns Busfrö Älskling Björn Gråben Kärna Snövit Lillgrå Räv Höken",
} as const;

const known: readonly (readonly [keyof typeof names, string])[] = [
  ["Russian", "windows-1251"],
  ["Russian", "koi8-r"],
  ["Russian", "iso-8859-5"],
  ["Russian", "ibm866"],
  ["Russian", "x-mac-cyrillic"],
  ["Ukrainian", "windows-1251"],
  ["Ukrainian", "koi8-u"],
  ["Bulgarian", "windows-1251"],
  ["Bulgarian", "iso-8859-5"],
  ["Bulgarian", "ibm866"],
  ["Simplified", "gbk"],
  ["Traditional", "big5"],
  ["Korean", "euc-kr"],
  ["Japanese", "shift_jis"],
  ["Japanese", "euc-jp"],
  ["Kana", "shift_jis"],
  ["Kana", "euc-jp"],
  ["Turkish", "windows-1254"],
  ["Greek", "windows-1253"],
  ["Greek", "iso-8859-7"],
  ["Hebrew", "windows-1255"],
  ["Arabic", "windows-1256"],
  ["Thai", "windows-874"],
  ["Vietnamese", "windows-1258"],
  ["Polish", "windows-1250"],
  ["Polish", "iso-8859-2"],
  ["Czech", "windows-1250"],
  ["Czech", "iso-8859-2"],
  ["Hungarian", "windows-1250"],
  ["Lithuanian", "windows-1257"],
  ["German", "latin1"],
  ["German", "macintosh"],
  ["French", "latin1"],
  ["French", "macintosh"],
  ["Spanish", "latin1"],
  ["Swedish", "latin1"],
];

const dos: readonly (readonly [keyof typeof names, string])[] = [
  ["German", "cp437"],
  ["German", "cp850"],
  ["German", "cp852"],
  ["French", "cp850"],
  ["Spanish", "cp850"],
  ["Swedish", "cp437"],
  ["Polish", "cp852"],
  ["Czech", "cp852"],
  ["Hungarian", "cp852"],
];

const table = (list: readonly string[]): string =>
  ["name,category,status", ...list.map((name) => `${name},1,available`), ""].join("\n");

const inGroupsOf = (count: number, list: readonly string[]): readonly (readonly string[])[] =>
  list.flatMap((_, at) => (at % count === 0 ? [list.slice(at, at + count)] : []));

/** Returns the places, from 0, at which readings that are the text are offered, and how many are. */
function offered(text: string, label: string) {
  const bytes = encode(text, label);
  const labels = readingsOf([bytes]).map((reading) => reading.label);
  const isRight = (one: string): boolean =>
    new TextDecoder(one).decode(bytes).normalize() === text.normalize();
  return { labels, right: labels.findIndex(isRight) };
}

const labelsOf = (...chunks: readonly Uint8Array[]): readonly string[] =>
  readingsOf(chunks).map(({ label }) => label);

const plain = "Bello,1,available\n";

it("a word of thousands of letters is found in linear time", () => {
  for (const run of ["a", "1", "\xfc"])
    expect(readingsOf([Buffer.from(`M\xfcller ${run.repeat(30_000)}\n`, "latin1")])).toEqual(
      run === "\xfc" ? [] : [{ label: "latin1", word: "Müller" }],
    );
});

describe("readingsOf", () => {
  describe.each(known)("%s in %s", (language, label) => {
    const list = names[language].split(" ");

    it.each<readonly [string, string]>([
      ["a table", table(list)],
      [
        "a table of 200 rows",
        table(
          Array.from({ length: 20 }, () => list)
            .flat()
            .slice(0, 200),
        ),
      ],
      ["JSON", JSON.stringify(list.map((name) => ({ name, category: { id: 1 } })))],
      [
        "two names a row",
        list.map((name, at) => `${name} & ${list.at(-at) ?? ""};Bello;${at}\r\n`).join(""),
      ],
    ])("is the first reading of %s", (_what, text) => {
      expect(offered(text, label).labels[0]).toBe(label);
    });

    it("is among the readings of three names", () => {
      const lost = inGroupsOf(3, list).filter((some) => offered(table(some), label).right < 0);
      expect(lost).toEqual([]);
    });
  });

  it("offers no wrong reading alone for a name alone", () => {
    const wrong = known.flatMap(([language, label]) =>
      names[language].split(" ").filter((name, at) => {
        if (at % 3 > 0) return false;
        const { labels, right } = offered(table([name]), label);
        return labels.length === 1 && right < 0;
      }),
    );
    expect(wrong).toEqual([]);
  });

  it.each(known.filter(([language]) => names[language].toUpperCase() !== names[language]))(
    "reads %s in capitals in %s",
    (language, label) => {
      const capitals = names[language].toUpperCase().split(" ");
      const { right } = offered(table(capitals), label);
      // A few Turkish names in capitals may as well be Icelandic ones.
      expect(right).toBe(language === "Turkish" ? 1 : 0);
    },
  );

  it.each(dos)("offers nothing for %s in %s", (language, label) => {
    const list = names[language].split(" ");
    expect(labelsOf(encode(table(list), label))).toEqual([]);
    const wrong = inGroupsOf(4, list).filter(
      (some) => labelsOf(encode(table(some), label)).length > 0,
    );
    expect(wrong).toEqual([]);
  });

  it.each<readonly [string, string, string, string]>([
    [
      "one umlaut in 1000 rows",
      "latin1",
      `${plain.repeat(500)}Jürgen,1\n${plain.repeat(500)}`,
      "Jürgen",
    ],
    ["one accent", "latin1", table(["Zoé"]), "Zoé"],
    [
      "letters after a megabyte",
      "windows-1251",
      `${plain.repeat(60_000)}Мухтар,1\nБарсик,1\n`,
      "Мухтар",
    ],
    ["quotes and dashes", "latin1", "“Bello” – Max’s…,1\nBärbel,1\n", "Bärbel"],
    ["a euro sign a row", "latin1", `${"Bello,20 €\n".repeat(50)}Zoé,20 €\n`, "Zoé"],
    ["euro signs alone", "latin1", "Bello,20 €\n".repeat(50), "€"],
    ["what only iso-8859-15 has", "iso-8859-15", "Œuf,20 €\nŽofie,5 €\nZoé,5 €\n", "Œuf"],
    ["names that begin like an image", "latin1", "BMücke,1\nBMäxchen,2\n", "BMücke"],
    ["an accent as an apostrophe", "latin1", "O´Malley,1\nMinka´s,2\nJürgen,3\n", "Jürgen"],
    [
      "signs inside Japanese words",
      "shift_jis",
      "ハナ・モモ,1\nタマ（クロ）,2\nさくら、3\n",
      "ハナ・モモ",
    ],
    [
      "Danish",
      "latin1",
      table("Søren Bjørn Mjød Åse Bølle Skjold Rødbede Præst".split(" ")),
      "Søren",
    ],
    [
      "a character of four bytes",
      "gb18030",
      table(["旺财", "小白", "花花", "㐂㐂", "来福"]),
      "旺财",
    ],
    [
      "a long word",
      "latin1",
      `${"ä".repeat(20)}${"bär".repeat(20)},1\nKätzchen\n`,
      `${"ä".repeat(20)}bärbärbärb`,
    ],
  ])("reads %s", (_what, label, text, word) => {
    const expected = label === "gb18030" ? "gbk" : label;
    expect(readingsOf([encode(text, label)])[0]).toEqual({ label: expected, word });
  });

  it("shows the same word in all readings, one in which they differ", () => {
    const readings = readingsOf([encode("Jürgen,1\nBjörn,2\nĆma,3\n", "windows-1250")]);
    expect(new Set(readings.map(({ word }) => word)).size).toBe(readings.length);
    expect(readings).toContainEqual({ label: "windows-1250", word: "Ćma" });
  });

  it("reads chunks of any size, whose buffer is used again", () => {
    const bytes = encode(`${plain.repeat(300)}${table(names.Russian.split(" "))}`, "koi8-r");
    for (const size of [1, 7, 4096]) {
      const buffer = Buffer.alloc(size);
      const chunks = function* (): Generator<Uint8Array> {
        for (let at = 0; at < bytes.length; at += size)
          yield buffer.subarray(0, bytes.copy(buffer, 0, at, at + size));
      };
      expect(readingsOf(chunks())[0]).toEqual({ label: "koi8-r", word: "Мухтар" });
    }
  });

  it("reads no more than it looks at", () => {
    let chunks = 0;
    const endless = function* (): Generator<Uint8Array> {
      for (; ; chunks += 1) yield encode(table(names.German.split(" ")), "latin1");
    };
    expect(readingsOf(endless())[0]?.label).toBe("latin1");
    expect(chunks).toBeLessThan(200);
  });

  it.each<readonly [string, readonly Uint8Array[]]>([
    ["no bytes", []],
    ["ASCII", [Buffer.from(plain)]],
    ["UTF-8 with a wrong byte", [Buffer.from("Zoé\nJürgen\nÅsa\n"), Buffer.of(0xff)]],
    ["bytes that are no text", [Buffer.of(0x89, 0, 1, 2, 0xff, 0xfe, 0)]],
    ["a word without an end", [Buffer.alloc(100_000, 0xff)]],
  ])("offers nothing for %s", (_what, chunks) => {
    expect(labelsOf(...chunks)).toEqual([]);
  });
});
