// Written by `npm run numbering` from libphonenumber-js's metadata and moment-timezone's time zones.

/**
 * For each country code, and for each region whose numbers can be told apart by their first digits and that has other
 * clocks: what the numbers begin with; the time zones, one for each clock, the capital's first.
 */
export const ZONE_TABLE = `
1;America/New_York,America/Adak,America/Anchorage,America/Atikokan,America/Blanc-Sablon,America/Chicago,America/Creston,America/Denver,America/Edmonton,America/Halifax,America/Los_Angeles,America/Regina,America/St_Johns,America/Vancouver,America/Winnipeg,Pacific/Honolulu
1268;America/Antigua 1264;America/Anguilla 1684;Pacific/Pago_Pago 1246;America/Barbados 1441;Atlantic/Bermuda
1242;America/Nassau 1767;America/Dominica 18001,1809,1829,1849;America/Santo_Domingo 1473;America/Grenada
1671;Pacific/Guam 1658,1876;America/Jamaica 1869;America/St_Kitts 1345;America/Cayman 1758;America/St_Lucia
1670;Pacific/Saipan 1664;America/Montserrat 1787,1939;America/Puerto_Rico 1721;America/Lower_Princes
1649;America/Grand_Turk 1868;America/Port_of_Spain 1784;America/St_Vincent 1284;America/Tortola 1340;America/St_Thomas
7;Europe/Moscow,Asia/Chita,Asia/Irkutsk,Asia/Kamchatka,Asia/Novosibirsk,Asia/Omsk,Asia/Sakhalin,Asia/Vladivostok,Asia/Yekaterinburg,Europe/Kaliningrad,Europe/Ulyanovsk
77;Asia/Almaty 20;Africa/Cairo 27;Africa/Johannesburg 30;Europe/Athens 31;Europe/Amsterdam 32;Europe/Brussels
33;Europe/Paris 34;Europe/Madrid,Atlantic/Canary 36;Europe/Budapest 39;Europe/Rome 40;Europe/Bucharest 41;Europe/Zurich
43;Europe/Vienna 44;Europe/London 45;Europe/Copenhagen 46;Europe/Stockholm 47;Europe/Oslo 48;Europe/Warsaw
49;Europe/Berlin 51;America/Lima
52;America/Mexico_City,America/Cancun,America/Ciudad_Juarez,America/Hermosillo,America/Matamoros,America/Tijuana
53;America/Havana 54;America/Argentina/Buenos_Aires
55;America/Sao_Paulo,America/Manaus,America/Noronha,America/Rio_Branco
56;America/Santiago,America/Punta_Arenas,Pacific/Easter 57;America/Bogota 58;America/Caracas 60;Asia/Kuala_Lumpur
61;Australia/Sydney,Asia/Tokyo,Australia/Adelaide,Australia/Brisbane,Australia/Darwin,Australia/Eucla,Australia/Lord_Howe,Australia/Perth,Indian/Christmas,Indian/Cocos
62;Asia/Jakarta,Asia/Jayapura,Asia/Makassar 63;Asia/Manila 64;Pacific/Auckland,Pacific/Chatham 65;Asia/Singapore
66;Asia/Bangkok 81;Asia/Tokyo 82;Asia/Seoul 84;Asia/Bangkok 86;Asia/Shanghai,Asia/Urumqi 90;Europe/Istanbul
91;Asia/Kolkata 92;Asia/Karachi 93;Asia/Kabul 94;Asia/Colombo 95;Asia/Yangon 98;Asia/Tehran 211;Africa/Juba
212;Africa/Casablanca 213;Africa/Algiers 216;Africa/Tunis 218;Africa/Tripoli 220;Africa/Banjul 221;Africa/Dakar
222;Africa/Nouakchott 223;Africa/Bamako 224;Africa/Conakry 225;Africa/Abidjan 226;Africa/Ouagadougou 227;Africa/Niamey
228;Africa/Lome 229;Africa/Porto-Novo 230;Indian/Mauritius 231;Africa/Monrovia 232;Africa/Freetown 233;Africa/Accra
234;Africa/Lagos 235;Africa/Ndjamena 236;Africa/Bangui 237;Africa/Douala 238;Atlantic/Cape_Verde 239;Africa/Sao_Tome
240;Africa/Malabo 241;Africa/Libreville 242;Africa/Brazzaville 243;Africa/Kinshasa,Africa/Lubumbashi 244;Africa/Luanda
245;Africa/Bissau 246;Indian/Chagos 247;Atlantic/St_Helena 248;Indian/Mahe 249;Africa/Khartoum 250;Africa/Kigali
251;Africa/Addis_Ababa 252;Africa/Mogadishu 253;Africa/Djibouti 254;Africa/Nairobi 255;Africa/Dar_es_Salaam
256;Africa/Kampala 257;Africa/Bujumbura 258;Africa/Maputo 260;Africa/Lusaka 261;Indian/Antananarivo
262;Indian/Reunion,Indian/Mayotte 263;Africa/Harare 264;Africa/Windhoek 265;Africa/Blantyre 266;Africa/Maseru
267;Africa/Gaborone 268;Africa/Mbabane 269;Indian/Comoro 290;Atlantic/St_Helena 291;Africa/Asmara 297;America/Aruba
298;Atlantic/Faroe 299;America/Nuuk,America/Danmarkshavn,America/Thule 350;Europe/Gibraltar
351;Europe/Lisbon,Atlantic/Azores 352;Europe/Luxembourg 353;Europe/Dublin 354;Atlantic/Reykjavik 355;Europe/Tirane
356;Europe/Malta 357;Asia/Nicosia 358;Europe/Helsinki 359;Europe/Sofia 370;Europe/Vilnius 371;Europe/Riga
372;Europe/Tallinn 373;Europe/Chisinau 374;Asia/Yerevan 375;Europe/Minsk 376;Europe/Andorra 377;Europe/Monaco
378;Europe/San_Marino 380;Europe/Kyiv,Europe/Simferopol 381;Europe/Belgrade 382;Europe/Podgorica 383;Europe/Belgrade
385;Europe/Zagreb 386;Europe/Ljubljana 387;Europe/Sarajevo 389;Europe/Skopje 420;Europe/Prague 421;Europe/Bratislava
423;Europe/Vaduz 500;Atlantic/Stanley 501;America/Belize 502;America/Guatemala 503;America/El_Salvador
504;America/Tegucigalpa 505;America/Managua 506;America/Costa_Rica 507;America/Panama 508;America/Miquelon
509;America/Port-au-Prince 590;America/Guadeloupe 591;America/La_Paz 592;America/Guyana
593;America/Guayaquil,Pacific/Galapagos 594;America/Cayenne 595;America/Asuncion 596;America/Martinique
597;America/Paramaribo 598;America/Montevideo 599;America/Curacao 670;Asia/Dili 672;Pacific/Norfolk 673;Asia/Brunei
674;Pacific/Nauru 675;Pacific/Port_Moresby,Pacific/Bougainville 676;Pacific/Tongatapu 677;Pacific/Guadalcanal
678;Pacific/Efate 679;Pacific/Fiji 680;Pacific/Palau 681;Pacific/Wallis 682;Pacific/Rarotonga 683;Pacific/Niue
685;Pacific/Apia 686;Pacific/Tarawa,Pacific/Kanton,Pacific/Kiritimati 687;Pacific/Noumea 688;Pacific/Funafuti
689;Pacific/Tahiti,Pacific/Gambier,Pacific/Marquesas 690;Pacific/Fakaofo 691;Pacific/Pohnpei,Pacific/Chuuk
692;Pacific/Majuro 850;Asia/Pyongyang 852;Asia/Hong_Kong 853;Asia/Macau 855;Asia/Phnom_Penh 856;Asia/Vientiane
880;Asia/Dhaka 886;Asia/Taipei 960;Indian/Maldives 961;Asia/Beirut 962;Asia/Amman 963;Asia/Damascus 964;Asia/Baghdad
965;Asia/Kuwait 966;Asia/Riyadh 967;Asia/Aden 968;Asia/Muscat 970;Asia/Gaza 971;Asia/Dubai 972;Asia/Jerusalem
973;Asia/Bahrain 974;Asia/Qatar 975;Asia/Thimphu 976;Asia/Ulaanbaatar,Asia/Hovd 977;Asia/Kathmandu 992;Asia/Dushanbe
993;Asia/Ashgabat 994;Asia/Baku 995;Asia/Tbilisi 996;Asia/Bishkek 998;Asia/Tashkent
`;
