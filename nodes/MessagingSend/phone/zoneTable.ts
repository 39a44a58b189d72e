// Written by `npm run numbering` from libphonenumber-js's metadata and moment-timezone's time zones.

/**
 * For each country code with several clocks or unknown to JavaScript, and each region with other clocks that its first
 * digits identify: those digits; the time zones, one for each clock, the capital's first. JavaScript knows the rest.
 */
export const ZONE_TABLE = `
1;America/New_York,America/Adak,America/Anchorage,America/Atikokan,America/Blanc-Sablon,America/Chicago,America/Creston,America/Denver,America/Edmonton,America/Halifax,America/Los_Angeles,America/Regina,America/St_Johns,America/Vancouver,America/Winnipeg,Pacific/Honolulu 1268;America/Antigua 1264;America/Anguilla 1684;Pacific/Pago_Pago 1246;America/Barbados 1441;Atlantic/Bermuda 1242;America/Nassau 1767;America/Dominica 18001,1809,1829,1849;America/Santo_Domingo 1473;America/Grenada 1671;Pacific/Guam 1658,1876;America/Jamaica 1869;America/St_Kitts 1345;America/Cayman 1758;America/St_Lucia 1670;Pacific/Saipan 1664;America/Montserrat 1787,1939;America/Puerto_Rico 1721;America/Lower_Princes 1649;America/Grand_Turk 1868;America/Port_of_Spain 1784;America/St_Vincent 1284;America/Tortola 1340;America/St_Thomas
243;Africa/Kinshasa,Africa/Lubumbashi 247;Atlantic/St_Helena 262;Indian/Reunion,Indian/Mayotte 290;Atlantic/St_Helena 299;America/Nuuk,America/Danmarkshavn,America/Thule
34;Europe/Madrid,Atlantic/Canary 351;Europe/Lisbon,Atlantic/Azores 380;Europe/Kyiv,Europe/Simferopol 383;Europe/Belgrade

52;America/Mexico_City,America/Cancun,America/Ciudad_Juarez,America/Hermosillo,America/Matamoros,America/Tijuana 55;America/Sao_Paulo,America/Manaus,America/Noronha,America/Rio_Branco 56;America/Santiago,America/Punta_Arenas,Pacific/Easter 593;America/Guayaquil,Pacific/Galapagos
61;Australia/Sydney,Asia/Tokyo,Australia/Adelaide,Australia/Brisbane,Australia/Darwin,Australia/Eucla,Australia/Lord_Howe,Australia/Perth,Indian/Christmas,Indian/Cocos 62;Asia/Jakarta,Asia/Jayapura,Asia/Makassar 64;Pacific/Auckland,Pacific/Chatham 675;Pacific/Port_Moresby,Pacific/Bougainville 686;Pacific/Tarawa,Pacific/Kanton,Pacific/Kiritimati 689;Pacific/Tahiti,Pacific/Gambier,Pacific/Marquesas 691;Pacific/Pohnpei,Pacific/Chuuk
7;Europe/Moscow,Asia/Chita,Asia/Irkutsk,Asia/Kamchatka,Asia/Novosibirsk,Asia/Omsk,Asia/Sakhalin,Asia/Vladivostok,Asia/Yekaterinburg,Europe/Kaliningrad,Europe/Ulyanovsk 77;Asia/Almaty
86;Asia/Shanghai,Asia/Urumqi
976;Asia/Ulaanbaatar,Asia/Hovd
`;
